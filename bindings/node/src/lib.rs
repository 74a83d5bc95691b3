//! overspill for Node.
