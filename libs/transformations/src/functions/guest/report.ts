import type { Refusal } from '../wire/messages';

/** A message from a thread to the supervisor. Answers are in the journal. */
export type Report =
  | { readonly kind: 'ready' }
  /** The guest is blocked until it may grow beyond the easy size. */
  | { readonly kind: 'growth' }
  | { readonly kind: 'loaded'; readonly refusal?: Refusal }
  | { readonly kind: 'journal'; readonly memory: SharedArrayBuffer }
  | { readonly kind: 'finished'; readonly console: string }
  | { readonly kind: 'broken'; readonly cause: 'memory' | 'ended' };
