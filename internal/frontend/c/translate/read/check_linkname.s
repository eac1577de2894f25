// Empty. Its presence lets the package declare checkAST without a body.
