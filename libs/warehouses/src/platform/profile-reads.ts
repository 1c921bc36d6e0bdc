import type { Microtime, ProfileSchema } from '@penstock/contracts';
import type { RecordValue, Schema } from '@penstock/schema';

/** A profile as a warehouse has it. */
export interface StoredProfile {
  readonly id: string;
  readonly createdAt: Microtime;
  readonly updatedAt: Microtime;
  /** Without what it does not have, and without objects of which nothing is there. */
  readonly attributes: RecordValue;
}

/** Of which properties profiles are read. */
export interface PropertiesWanted {
  /** The schema that the profiles of the warehouse have. */
  readonly profiles: ProfileSchema;
  /** The wanted part of it; may be without any property. */
  readonly properties: Schema;
}

/** Which profile is wanted. */
export interface ProfileWanted extends PropertiesWanted {
  /** A UUID: that of a profile, or one that was merged into another. */
  readonly id: string;
}
