export {
  FIRST_PROFILE_SCHEMA,
  primarySourcesOf,
  type ProfileSchema,
  profilesOf,
} from './profile-schema';
export {
  type JoinedBy,
  type ProfileCreated,
  type ProfileDeleted,
  type ProfileFact,
  profileOf,
  type ProfilesMerged,
  type ProfileSplit,
} from './profile.facts';
export type {
  EndedResolution,
  LiveResolution,
  ResolutionFact,
  ResolutionSettings,
  ResolutionState,
  ResolutionTrigger,
  StartedResolution,
  WaitingResolution,
} from './resolution.facts';
