// Empty. Its presence lets the package declare functions of cc without a body.
