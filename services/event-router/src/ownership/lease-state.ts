/**
 * The state of a partition in this member: `wanted` (to be claimed again after a pause) → `leasing` → `restoring` →
 * `owned` → `leaving` → `released`. A revoked partition ends in `released`; one that failed returns to `wanted`.
 */
export type LeaseState = 'wanted' | 'leasing' | 'restoring' | 'owned' | 'leaving' | 'released';
