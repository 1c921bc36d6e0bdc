/**
 * Where a partition stands with this member: `wanted` (to be tried again after a pause) → `leasing` → `restoring` →
 * `owned` → `leaving` → `released`. Whatever is revoked ends in `released`, and whatever fails goes back to `wanted`.
 */
export type LeaseState = 'wanted' | 'leasing' | 'restoring' | 'owned' | 'leaving' | 'released';
