import type { Refusal } from '../wire/messages';

/** What a thread tells the supervisor. Its answers stand in the journal. */
export type Report =
  | { readonly kind: 'ready' }
  /** Its guest stands still until it may have more than the easy size. */
  | { readonly kind: 'growth' }
  | { readonly kind: 'loaded'; readonly refusal?: Refusal }
  | { readonly kind: 'journal'; readonly memory: SharedArrayBuffer }
  | { readonly kind: 'finished'; readonly console: string }
  | { readonly kind: 'broken'; readonly cause: 'memory' | 'ended' };
