import type { ProfileSchema } from '@penstock/contracts';
import type { ProfilesDifference } from './profiles-difference';

/** From one schema of profiles to the next. */
export interface ProfilesStep {
  readonly from: ProfileSchema;
  readonly to: ProfileSchema;
  readonly difference: ProfilesDifference;
  /** Whether every profile is computed again, as after a change of the primary sources. */
  readonly marksAll: boolean;
}
