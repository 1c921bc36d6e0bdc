import type { RouterStore } from '../store/router-store';

/** What leases need of the store. */
export type LeaseStore = Pick<
  RouterStore,
  'member' | 'beat' | 'leave' | 'acquire' | 'renew' | 'release' | 'restore'
>;
