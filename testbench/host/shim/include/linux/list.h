// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/types.h>

#define LIST_HEAD_INIT(name) \
  { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
#define LIST_POISON1 ((void*)0x100)
#define LIST_POISON2 ((void*)0x122)

static inline void INIT_LIST_HEAD(struct list_head* head) { head->next = head->prev = head; }
static inline void __list_link(struct list_head* entry, struct list_head* before, struct list_head* after) {
  entry->prev = before;
  entry->next = after;
  before->next = entry;
  after->prev = entry;
}
static inline void __list_unlink(struct list_head* entry) {
  entry->prev->next = entry->next;
  entry->next->prev = entry->prev;
}
static inline void list_add(struct list_head* entry, struct list_head* head) { __list_link(entry, head, head->next); }
static inline void list_add_tail(struct list_head* entry, struct list_head* head) {
  __list_link(entry, head->prev, head);
}
static inline void list_del(struct list_head* entry) {
  __list_unlink(entry);
  entry->next = (struct list_head*)LIST_POISON1;
  entry->prev = (struct list_head*)LIST_POISON2;
}
static inline void list_del_init(struct list_head* entry) {
  __list_unlink(entry);
  INIT_LIST_HEAD(entry);
}
static inline void list_move(struct list_head* entry, struct list_head* head) {
  __list_unlink(entry);
  list_add(entry, head);
}
static inline void list_move_tail(struct list_head* entry, struct list_head* head) {
  __list_unlink(entry);
  list_add_tail(entry, head);
}
static inline int list_empty(const struct list_head* head) { return head->next == head; }
static inline int list_is_last(const struct list_head* entry, const struct list_head* head) {
  return entry->next == head;
}
static inline int list_is_singular(const struct list_head* head) {
  return !list_empty(head) && head->next == head->prev;
}
static inline void list_splice_init(struct list_head* from, struct list_head* head) {
  if (list_empty(from)) return;
  from->next->prev = head;
  from->prev->next = head->next;
  head->next->prev = from->prev;
  head->next = from->next;
  INIT_LIST_HEAD(from);
}
#define list_add_rcu list_add
#define list_del_rcu list_del

#define list_entry(pointer, type, member) container_of(pointer, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member) \
  (list_empty(head) ? (type*)0 : list_first_entry((head), type, member))
#define list_next_entry(position, member) list_entry((position)->member.next, __typeof__(*(position)), member)
#define list_prev_entry(position, member) list_entry((position)->member.prev, __typeof__(*(position)), member)
#define list_entry_is_head(position, head, member) (&(position)->member == (head))
#define list_for_each(position, head) \
  for ((position) = (head)->next; (position) != (head); (position) = (position)->next)
#define list_for_each_safe(position, following, head)                                   \
  for ((position) = (head)->next, (following) = (position)->next; (position) != (head); \
       (position) = (following), (following) = (position)->next)
#define list_for_each_entry(position, head, member)                            \
  for ((position) = list_first_entry((head), __typeof__(*(position)), member); \
       !list_entry_is_head((position), (head), member); (position) = list_next_entry((position), member))
#define list_for_each_entry_reverse(position, head, member)                   \
  for ((position) = list_last_entry((head), __typeof__(*(position)), member); \
       !list_entry_is_head((position), (head), member); (position) = list_prev_entry((position), member))
#define list_for_each_entry_continue(position, head, member)                                              \
  for ((position) = list_next_entry((position), member); !list_entry_is_head((position), (head), member); \
       (position) = list_next_entry((position), member))
#define list_for_each_entry_from(position, head, member) \
  for (; !list_entry_is_head((position), (head), member); (position) = list_next_entry((position), member))
#define list_for_each_entry_safe(position, following, head, member)            \
  for ((position) = list_first_entry((head), __typeof__(*(position)), member), \
      (following) = list_next_entry((position), member);                       \
       !list_entry_is_head((position), (head), member);                        \
       (position) = (following), (following) = list_next_entry((following), member))
#define list_for_each_entry_rcu(position, head, member, condition...) list_for_each_entry(position, head, member)

#define HLIST_HEAD_INIT \
  { 0 }
#define HLIST_HEAD(name) struct hlist_head name = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(head) ((head)->first = 0)
static inline void INIT_HLIST_NODE(struct hlist_node* node) {
  node->next = 0;
  node->pprev = 0;
}
static inline int hlist_empty(const struct hlist_head* head) { return !head->first; }
static inline int hlist_unhashed(const struct hlist_node* node) { return !node->pprev; }
static inline void hlist_add_head(struct hlist_node* node, struct hlist_head* head) {
  node->next = head->first;
  if (node->next) node->next->pprev = &node->next;
  head->first = node;
  node->pprev = &head->first;
}
static inline void hlist_del_init(struct hlist_node* node) {
  if (!node->pprev) return;
  *node->pprev = node->next;
  if (node->next) node->next->pprev = node->pprev;
  INIT_HLIST_NODE(node);
}
#define hlist_del hlist_del_init
#define hlist_entry(pointer, type, member) container_of(pointer, type, member)
#define hlist_entry_safe(pointer, type, member)            \
  ({                                                       \
    __typeof__(pointer) __node = (pointer);                \
    __node ? hlist_entry(__node, type, member) : (type*)0; \
  })
#define hlist_for_each_entry(position, head, member)                                              \
  for ((position) = hlist_entry_safe((head)->first, __typeof__(*(position)), member); (position); \
       (position) = hlist_entry_safe((position)->member.next, __typeof__(*(position)), member))
#define hlist_for_each_entry_safe(position, following, head, member)                  \
  for ((position) = hlist_entry_safe((head)->first, __typeof__(*(position)), member); \
       (position) && (((following) = (position)->member.next), 1);                    \
       (position) = hlist_entry_safe((following), __typeof__(*(position)), member))
