//! tollgate-macros
