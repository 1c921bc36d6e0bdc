export { EmbeddedPostgresError, type EmbeddedPostgresFault } from './embedded-postgres-error';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './start-embedded-postgres';
export { reachEmbeddedPostgres, type ReachedPostgres } from './reach-embedded-postgres';
