export { type FreshDatabase, freshDatabase, testBrokers } from './fresh-database';
export { watchOver } from './watchdog';
export { openPage, type OpenPage } from './open-page';
