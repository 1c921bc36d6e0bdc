export { type FreshDatabase, freshDatabase, testBrokers } from './fresh-database';
export { watchOver } from './watchdog';
