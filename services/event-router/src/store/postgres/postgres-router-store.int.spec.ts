import { IS_LONG } from '../../testing/model/model-runs.fixture';
import { itKeepsTheRouterStorePromises } from '../router-store.contract';
import { StoreDatabase } from './store-harness.fixture';

jest.setTimeout(600_000);

// The store in memory keeps the same promises in many more random sequences.
itKeepsTheRouterStorePromises(StoreDatabase.forEachTest(), IS_LONG ? 30 : 6);
