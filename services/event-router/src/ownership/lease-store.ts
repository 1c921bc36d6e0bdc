import type { RouterStore } from '../store/router-store';

/** The methods of the store that leases use. */
export type LeaseStore = Pick<
  RouterStore,
  'member' | 'beat' | 'leave' | 'acquire' | 'renew' | 'release' | 'restore'
>;
