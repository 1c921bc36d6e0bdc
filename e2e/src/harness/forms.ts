import { DistributedInstallation } from './distributed-installation';
import { EmbeddedInstallation } from './embedded-installation';
import type { Installation } from './installation';

interface Form {
  readonly form: string;
  /** @param env additional variables of every process. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<Installation>;
}

/** Both ways to run Penstock, for `describe.each`. */
export const FORMS: readonly Form[] = [
  { form: 'embedded', start: EmbeddedInstallation.start },
  { form: 'distributed', start: DistributedInstallation.start },
];
