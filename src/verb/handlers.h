/* The handlers of the operations: what each row of the table calls. Each takes the call over, and ends it once. */
#pragma once

struct call;

void verb_launch(struct call *call);
void verb_set_breakpoints(struct call *call);
void verb_continue(struct call *call);
void verb_next(struct call *call);
void verb_step_in(struct call *call);
void verb_step_out(struct call *call);
void verb_step_in_targets(struct call *call);
void verb_step_back(struct call *call);
void verb_reverse_continue(struct call *call);
void verb_goto(struct call *call);
void verb_restart_frame(struct call *call);
void verb_terminate_threads(struct call *call);
void verb_pause(struct call *call);
void verb_stack(struct call *call);
void verb_threads(struct call *call);
void verb_scopes(struct call *call);
void verb_variables(struct call *call);
void verb_set_variable(struct call *call);
void verb_completions(struct call *call);
void verb_exception(struct call *call);
void verb_evaluate(struct call *call);
void verb_send_input(struct call *call);
void verb_status(struct call *call);
void verb_stop(struct call *call);
void verb_read_memory(struct call *call);
void verb_write_memory(struct call *call);
void verb_disassemble(struct call *call);
void verb_registers(struct call *call);
void verb_source(struct call *call);
void verb_loaded_sources(struct call *call);
void verb_modules(struct call *call);
void verb_locations(struct call *call);
void verb_add_breakpoint(struct call *call);
void verb_remove_breakpoint(struct call *call);
void verb_enable_breakpoint(struct call *call);
void verb_breakpoints(struct call *call);
void verb_breakpoint_locations(struct call *call);
void verb_set_exception_breakpoints(struct call *call);
void verb_request(struct call *call);
void verb_output(struct call *call);
void verb_attach(struct call *call);
void verb_restart(struct call *call);
void verb_sessions(struct call *call);
