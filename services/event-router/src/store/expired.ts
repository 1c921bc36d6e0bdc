import type { OpenDelivery, OutcomeRecord } from './changes';

/** Ending of deliveries that are open when another log begins: their events cannot be read any more. */
export const EXPIRED = { state: 'Parked', step: 'Finalize', code: 'Expired' } as const;

export const expired = (open: readonly OpenDelivery[], atMs: number): OutcomeRecord[] =>
  open.map(({ offset, pipeline, version, attempts }) => {
    const { state, code } = EXPIRED;
    return { offset, pipeline, version, state, code, attempts, atMs, status: 0, made: '' };
  });
