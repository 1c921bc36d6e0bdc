import type { Answer, Refusal } from '../wire/messages';

/** What a thread tells the supervisor. */
export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'loaded'; readonly refusal?: Refusal }
  | Answer
  | { readonly kind: 'finished'; readonly console: string }
  | { readonly kind: 'broken'; readonly cause: 'memory' | 'ended' };
