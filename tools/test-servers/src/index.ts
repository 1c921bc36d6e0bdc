export { type FreshDatabase, freshDatabase, testBrokers } from './fresh-database';
