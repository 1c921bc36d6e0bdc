import type { Refusal } from '../wire/messages';

/** What a thread tells the supervisor. Its answers stand in the journal. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loaded'; readonly refusal?: Refusal }
  | { readonly kind: 'journal'; readonly memory: SharedArrayBuffer }
  | { readonly kind: 'finished'; readonly console: string }
  | { readonly kind: 'broken'; readonly cause: 'memory' | 'ended' };
