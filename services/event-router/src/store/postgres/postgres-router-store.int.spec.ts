import { itKeepsTheRouterStorePromises } from '../router-store.contract';
import { StoreDatabase } from './store-harness.fixture';

jest.setTimeout(120_000);

itKeepsTheRouterStorePromises(StoreDatabase.forEachTest(), 30);
