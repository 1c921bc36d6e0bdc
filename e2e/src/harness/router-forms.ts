import type { RouterForm } from './router-installation';
import { SeveralRouters } from './several-routers';
import { SingleProcess } from './single-process';

/** One process over the log in its own PostgreSQL. */
export const EMBEDDED: RouterForm = { form: 'one process', start: SingleProcess.start };

/** Two gateways and two routers over the log in PostgreSQL. */
export const ON_POSTGRES: RouterForm = {
  form: 'two routers on PostgreSQL',
  start: (env = {}) => SeveralRouters.start({ brokers: 0, env }),
};

/** Two gateways and two routers over Kafka. */
export const ON_KAFKA: RouterForm = {
  form: 'two routers on Kafka',
  start: (env = {}) => SeveralRouters.start({ brokers: 1, env }),
};
