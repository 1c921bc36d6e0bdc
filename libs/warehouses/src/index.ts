export { checkProfileSchema } from './profiles/check-profile-schema';
export {
  type ProfilesDifference,
  profilesDifference,
  type RePaths,
} from './profiles/profiles-difference';
export type { ProfilesStep } from './profiles/profiles-step';
export {
  type Initialised,
  type InitialiseOptions,
  type ProfilesChange,
  type Unresolved,
  type Warehouse,
  WarehouseFault,
  type WarehouseFaultKind,
  type WarehousePlatform,
  type WarehouseSettings,
} from './platform/warehouse';
export type {
  ReadableTable,
  ReadableTables,
  StatementColumn,
  StatementRows,
  StatementWanted,
} from './platform/statement-reads';
export {
  type ErasedCounts,
  type ErasedPiece,
  type ErasedRecord,
  type Eraser,
  type Erasure,
  MAX_ERASED,
} from './platform/eraser';
export type { EventOutcome, EventWriter } from './platform/event-writer';
export { type ApplicationMatch, MAX_MATCHES, type MatchWriter } from './platform/match-writer';
export type {
  EventOrder,
  EventPlace,
  EventsPage,
  EventsWanted,
  StoredEvent,
} from './platform/event-reads';
export {
  ORDERED_CHARACTERS,
  type HistoryPage,
  type LinkedIdentity,
  type LinksPage,
  type PastOfProfile,
  type ProfileLink,
  type ProfileOrder,
  type ProfilePlace,
  type ProfilesPage,
  type ProfilesWanted,
  type ProfileWanted,
  type PropertiesWanted,
  type ScannedProfile,
  type ScanPage,
  type ScanPageWanted,
  type ScanWanted,
  type StoredProfile,
} from './platform/profile-reads';
export type {
  FactInHistory,
  ProfileAlias,
  ResolvedHead,
  ResolvedIdentity,
  ResolvedProfile,
  ResolvedState,
} from './platform/resolved-reads';
export type {
  IdentitiesOwner,
  IdentitiesPage,
  IdentitiesWanted,
  IdentityPlace,
  ReaderOptions,
  StoredIdentity,
  WarehouseReader,
} from './platform/warehouse-reader';
export type { RemovedPiece, Remover } from './platform/remover';
export {
  MAX_IDENTIFIERS,
  MAX_RESOLVED,
  type RecordedProfileFact,
  type ResolutionRules,
  type ResolvedBatch,
  type Resolver,
  type SharedValue,
} from './platform/resolver';
export {
  type EventUpdate,
  type IdentityBatch,
  type IdentityOutcome,
  type IdentityUpdate,
  type IdentityWriter,
  type ImportedRecord,
  MAX_BATCH,
  type RunOfBatch,
  type Settled,
  type SettledAs,
  type WarehouseWriter,
  type Writer,
  type WriterOptions,
  type WriterRole,
} from './platform/warehouse-writer';
export { settingsOfUrl } from './postgresql/settings-of-url';
export { createWarehouses, Warehouses, type WarehousesOptions } from './warehouses';
