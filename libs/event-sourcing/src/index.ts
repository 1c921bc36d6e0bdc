export { fold, type Decider } from './decider';
export {
  EventStore,
  VersionConflict,
  type Append,
  type Cause,
  type FactsLimit,
  type NewFact,
  type StoredFact,
  type StoredReply,
  type Stream,
  type StreamAppend,
} from './event-store';
export { handleCommand, type Decision, type Reading } from './handle-command';
export { FactRow, ReplyRow } from './fact-row';
export { CreateEventStore1700000000000 } from './event-store.migration';
export { CreateAudit1700000000020 } from './audit.migration';
export { CreateChain1700000000050 } from './chain.migration';
export { IndexAuditSearch1700000000083 } from './audit-search.migration';
export { CHAIN_START, chainHash, type Hashed } from './chain';
export {
  FactHistory,
  type FactFilter,
  type HistoricalFact,
  type OrderedFact,
} from './fact-history';
export { FACTS_CHANNEL } from './append-all';
export { PostgresEventStore } from './postgres-event-store';
export { specify } from './specify';
