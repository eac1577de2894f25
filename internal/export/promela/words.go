package promela

// promelaWords lists the keywords of Promela, names of the C preprocessor, and names that the
// exported text uses for its variables and macros.
const promelaWords = `active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_step D_proctype
do else empty enabled eval false fi for full get_priority goto hidden if in init inline int len local ltl mtype
nempty never nfull notrace np_ od of pc_value pid printf printm priority proctype provided return run select
set_priority short show skip STDIN timeout trace true typedef unless unsigned xr xs linux unix i386
mem holder over assumed_away running outside_window old_value new_value wrote final goal valid_cell slot_of in_window s e`
