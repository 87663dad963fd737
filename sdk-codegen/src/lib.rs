//! tollgate-codegen
