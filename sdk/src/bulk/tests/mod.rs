mod chaos;
mod depot;
mod following;
mod joining;
mod mutating;
mod reading;
