//! tollgate-shop
