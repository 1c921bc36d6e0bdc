import { DistributedInstallation } from './distributed-installation';
import { EmbeddedInstallation } from './embedded-installation';
import type { Installation } from './installation';

interface Form {
  readonly form: string;
  /** @param env additional variables of every process. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<Installation>;
}

/** All services in one process. */
export const EMBEDDED: Form = { form: 'embedded', start: EmbeddedInstallation.start };

/** Each service in a process of its own. */
export const DISTRIBUTED: Form = { form: 'distributed', start: DistributedInstallation.start };

/** {@link DISTRIBUTED}, with a warehouse in the same database, as the embedded form has. */
export const DISTRIBUTED_WITH_WAREHOUSE: Form = {
  form: 'distributed',
  start: DistributedInstallation.startWithWarehouse,
};

/** Both ways to run Penstock, for `describe.each`. */
export const FORMS: readonly Form[] = [EMBEDDED, DISTRIBUTED];
