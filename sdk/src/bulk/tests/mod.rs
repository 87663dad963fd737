mod chaos;
mod depot;
mod following;
mod hostile;
mod joining;
mod mutating;
mod reading;
