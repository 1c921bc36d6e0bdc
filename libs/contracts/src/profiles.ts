export {
  FIRST_PROFILE_SCHEMA,
  primarySourcesOf,
  type ProfileSchema,
  profilesOf,
} from './profile-schema';
export { followedSettings, isIdentifying, resolutionSettingsOf } from './resolution-settings';
export {
  type JoinedBy,
  type ProfileCreated,
  type ProfileDeleted,
  type ProfileFact,
  profileOf,
  type ProfilesMerged,
  type ProfileSplit,
  type PublishedProfileFact,
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
