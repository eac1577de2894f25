#ifndef _FP_SYS_QUEUE_H
#define _FP_SYS_QUEUE_H
#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { 0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_EMPTY(head) (SLIST_FIRST(head) == 0)
#define SLIST_NEXT(elm, field) ((elm)->field.sle_next)
#define SLIST_INIT(head) do { SLIST_FIRST(head) = 0; } while (0)
#define SLIST_FOREACH(var, head, field) for ((var) = SLIST_FIRST(head); (var); (var) = SLIST_NEXT(var, field))
#define SLIST_INSERT_HEAD(head, elm, field) do { SLIST_NEXT(elm, field) = SLIST_FIRST(head); SLIST_FIRST(head) = (elm); } while (0)
#define SLIST_INSERT_AFTER(at, elm, field) do { SLIST_NEXT(elm, field) = SLIST_NEXT(at, field); SLIST_NEXT(at, field) = (elm); } while (0)
#define SLIST_REMOVE_HEAD(head, field) do { SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), field); } while (0)
#define SLIST_REMOVE(head, elm, type, field) do { struct type **__fp_at = &SLIST_FIRST(head); while (*__fp_at != (elm)) __fp_at = &SLIST_NEXT(*__fp_at, field); *__fp_at = SLIST_NEXT(*__fp_at, field); } while (0)

#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { 0 }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_EMPTY(head) (LIST_FIRST(head) == 0)
#define LIST_NEXT(elm, field) ((elm)->field.le_next)
#define LIST_INIT(head) do { LIST_FIRST(head) = 0; } while (0)
#define LIST_FOREACH(var, head, field) for ((var) = LIST_FIRST(head); (var); (var) = LIST_NEXT(var, field))
#define LIST_INSERT_HEAD(head, elm, field) do { if ((LIST_NEXT(elm, field) = LIST_FIRST(head)) != 0) LIST_FIRST(head)->field.le_prev = &LIST_NEXT(elm, field); LIST_FIRST(head) = (elm); (elm)->field.le_prev = &LIST_FIRST(head); } while (0)
#define LIST_INSERT_AFTER(at, elm, field) do { if ((LIST_NEXT(elm, field) = LIST_NEXT(at, field)) != 0) LIST_NEXT(at, field)->field.le_prev = &LIST_NEXT(elm, field); LIST_NEXT(at, field) = (elm); (elm)->field.le_prev = &LIST_NEXT(at, field); } while (0)
#define LIST_INSERT_BEFORE(at, elm, field) do { (elm)->field.le_prev = (at)->field.le_prev; LIST_NEXT(elm, field) = (at); *(at)->field.le_prev = (elm); (at)->field.le_prev = &LIST_NEXT(elm, field); } while (0)
#define LIST_REMOVE(elm, field) do { if (LIST_NEXT(elm, field) != 0) LIST_NEXT(elm, field)->field.le_prev = (elm)->field.le_prev; *(elm)->field.le_prev = LIST_NEXT(elm, field); } while (0)

#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { 0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_EMPTY(head) (STAILQ_FIRST(head) == 0)
#define STAILQ_NEXT(elm, field) ((elm)->field.stqe_next)
#define STAILQ_INIT(head) do { STAILQ_FIRST(head) = 0; (head)->stqh_last = &STAILQ_FIRST(head); } while (0)
#define STAILQ_FOREACH(var, head, field) for ((var) = STAILQ_FIRST(head); (var); (var) = STAILQ_NEXT(var, field))
#define STAILQ_INSERT_HEAD(head, elm, field) do { if ((STAILQ_NEXT(elm, field) = STAILQ_FIRST(head)) == 0) (head)->stqh_last = &STAILQ_NEXT(elm, field); STAILQ_FIRST(head) = (elm); } while (0)
#define STAILQ_INSERT_TAIL(head, elm, field) do { STAILQ_NEXT(elm, field) = 0; *(head)->stqh_last = (elm); (head)->stqh_last = &STAILQ_NEXT(elm, field); } while (0)
#define STAILQ_INSERT_AFTER(head, at, elm, field) do { if ((STAILQ_NEXT(elm, field) = STAILQ_NEXT(at, field)) == 0) (head)->stqh_last = &STAILQ_NEXT(elm, field); STAILQ_NEXT(at, field) = (elm); } while (0)
#define STAILQ_REMOVE_HEAD(head, field) do { if ((STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), field)) == 0) (head)->stqh_last = &STAILQ_FIRST(head); } while (0)
#define STAILQ_REMOVE(head, elm, type, field) do { struct type **__fp_at = &STAILQ_FIRST(head); while (*__fp_at != (elm)) __fp_at = &STAILQ_NEXT(*__fp_at, field); if ((*__fp_at = STAILQ_NEXT(*__fp_at, field)) == 0) (head)->stqh_last = __fp_at; } while (0)
#define STAILQ_CONCAT(a, b) do { if (!STAILQ_EMPTY(b)) { *(a)->stqh_last = STAILQ_FIRST(b); (a)->stqh_last = (b)->stqh_last; STAILQ_INIT(b); } } while (0)

#define SIMPLEQ_HEAD(name, type) struct name { struct type *sqh_first; struct type **sqh_last; }
#define SIMPLEQ_HEAD_INITIALIZER(head) { 0, &(head).sqh_first }
#define SIMPLEQ_ENTRY(type) struct { struct type *sqe_next; }
#define SIMPLEQ_FIRST(head) ((head)->sqh_first)
#define SIMPLEQ_EMPTY(head) (SIMPLEQ_FIRST(head) == 0)
#define SIMPLEQ_NEXT(elm, field) ((elm)->field.sqe_next)
#define SIMPLEQ_INIT(head) do { SIMPLEQ_FIRST(head) = 0; (head)->sqh_last = &SIMPLEQ_FIRST(head); } while (0)
#define SIMPLEQ_FOREACH(var, head, field) for ((var) = SIMPLEQ_FIRST(head); (var); (var) = SIMPLEQ_NEXT(var, field))
#define SIMPLEQ_INSERT_HEAD(head, elm, field) do { if ((SIMPLEQ_NEXT(elm, field) = SIMPLEQ_FIRST(head)) == 0) (head)->sqh_last = &SIMPLEQ_NEXT(elm, field); SIMPLEQ_FIRST(head) = (elm); } while (0)
#define SIMPLEQ_INSERT_TAIL(head, elm, field) do { SIMPLEQ_NEXT(elm, field) = 0; *(head)->sqh_last = (elm); (head)->sqh_last = &SIMPLEQ_NEXT(elm, field); } while (0)
#define SIMPLEQ_INSERT_AFTER(head, at, elm, field) do { if ((SIMPLEQ_NEXT(elm, field) = SIMPLEQ_NEXT(at, field)) == 0) (head)->sqh_last = &SIMPLEQ_NEXT(elm, field); SIMPLEQ_NEXT(at, field) = (elm); } while (0)
#define SIMPLEQ_REMOVE_HEAD(head, field) do { if ((SIMPLEQ_FIRST(head) = SIMPLEQ_NEXT(SIMPLEQ_FIRST(head), field)) == 0) (head)->sqh_last = &SIMPLEQ_FIRST(head); } while (0)

#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { 0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_EMPTY(head) (TAILQ_FIRST(head) == 0)
#define TAILQ_NEXT(elm, field) ((elm)->field.tqe_next)
#define TAILQ_LAST(head, name) (*(((struct name *)((head)->tqh_last))->tqh_last))
#define TAILQ_PREV(elm, name, field) (*(((struct name *)((elm)->field.tqe_prev))->tqh_last))
#define TAILQ_INIT(head) do { TAILQ_FIRST(head) = 0; (head)->tqh_last = &TAILQ_FIRST(head); } while (0)
#define TAILQ_FOREACH(var, head, field) for ((var) = TAILQ_FIRST(head); (var); (var) = TAILQ_NEXT(var, field))
#define TAILQ_FOREACH_REVERSE(var, head, name, field) for ((var) = TAILQ_LAST(head, name); (var); (var) = TAILQ_PREV(var, name, field))
#define TAILQ_INSERT_HEAD(head, elm, field) do { if ((TAILQ_NEXT(elm, field) = TAILQ_FIRST(head)) != 0) TAILQ_FIRST(head)->field.tqe_prev = &TAILQ_NEXT(elm, field); else (head)->tqh_last = &TAILQ_NEXT(elm, field); TAILQ_FIRST(head) = (elm); (elm)->field.tqe_prev = &TAILQ_FIRST(head); } while (0)
#define TAILQ_INSERT_TAIL(head, elm, field) do { TAILQ_NEXT(elm, field) = 0; (elm)->field.tqe_prev = (head)->tqh_last; *(head)->tqh_last = (elm); (head)->tqh_last = &TAILQ_NEXT(elm, field); } while (0)
#define TAILQ_INSERT_AFTER(head, at, elm, field) do { if ((TAILQ_NEXT(elm, field) = TAILQ_NEXT(at, field)) != 0) TAILQ_NEXT(elm, field)->field.tqe_prev = &TAILQ_NEXT(elm, field); else (head)->tqh_last = &TAILQ_NEXT(elm, field); TAILQ_NEXT(at, field) = (elm); (elm)->field.tqe_prev = &TAILQ_NEXT(at, field); } while (0)
#define TAILQ_INSERT_BEFORE(at, elm, field) do { (elm)->field.tqe_prev = (at)->field.tqe_prev; TAILQ_NEXT(elm, field) = (at); *(at)->field.tqe_prev = (elm); (at)->field.tqe_prev = &TAILQ_NEXT(elm, field); } while (0)
#define TAILQ_REMOVE(head, elm, field) do { if (TAILQ_NEXT(elm, field) != 0) TAILQ_NEXT(elm, field)->field.tqe_prev = (elm)->field.tqe_prev; else (head)->tqh_last = (elm)->field.tqe_prev; *(elm)->field.tqe_prev = TAILQ_NEXT(elm, field); } while (0)
#define TAILQ_CONCAT(a, b, field) do { if (!TAILQ_EMPTY(b)) { *(a)->tqh_last = TAILQ_FIRST(b); TAILQ_FIRST(b)->field.tqe_prev = (a)->tqh_last; (a)->tqh_last = (b)->tqh_last; TAILQ_INIT(b); } } while (0)

#define CIRCLEQ_HEAD(name, type) struct name { struct type *cqh_first, *cqh_last; }
#define CIRCLEQ_HEAD_INITIALIZER(head) { (void *)&(head), (void *)&(head) }
#define CIRCLEQ_ENTRY(type) struct { struct type *cqe_next, *cqe_prev; }
#define CIRCLEQ_FIRST(head) ((head)->cqh_first)
#define CIRCLEQ_LAST(head) ((head)->cqh_last)
#define CIRCLEQ_NEXT(elm, field) ((elm)->field.cqe_next)
#define CIRCLEQ_PREV(elm, field) ((elm)->field.cqe_prev)
#define CIRCLEQ_EMPTY(head) (CIRCLEQ_FIRST(head) == (void *)(head))
#define CIRCLEQ_INIT(head) do { CIRCLEQ_FIRST(head) = (void *)(head); CIRCLEQ_LAST(head) = (void *)(head); } while (0)
#define CIRCLEQ_FOREACH(var, head, field) for ((var) = CIRCLEQ_FIRST(head); (var) != (const void *)(head); (var) = CIRCLEQ_NEXT(var, field))
#endif
