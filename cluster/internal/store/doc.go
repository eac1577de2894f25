// Package store keeps checks on several machines in JetStream, the persistent part of NATS.
//
//	bucket fp_jobs              one entry per check: what is asked and how far it is
//	objects fp_programs         per check: the files of the program and the options
//	bucket fp_workers           who works; entries vanish some minutes after a worker is silent
//	                            probe.NAME  shows that the server stores what it is given
//	stream fp_tasks_JOB         the tasks that wait or are being explored, as a work queue
//	bucket fp_records_JOB       r.TASK  the record of a task, created once and never changed
//	                            p.TASK.TRY.N  a part of a record that is too large for one message
//	                            s.TASK  the tasks that the record leaves are in the queue
//
// What was made again after the server had lost it has a number after JOB, see Mend. Records and checks are stored with
// checksums.
//
// The queue delivers each task at least once, and again when a worker neither acknowledges nor extends it
// within the acknowledgement time. Exactness comes from the records alone, see package task: r.TASK is
// written by create-if-absent. Everything else is repeated until it has happened, in an order such that a
// crash between two steps leaves something that is repeated:
//
//	explore, create r.TASK, enqueue what it leaves, put s.TASK, acknowledge
//
// A worker that is given a task with a record goes on after the last step that is done.
package store
