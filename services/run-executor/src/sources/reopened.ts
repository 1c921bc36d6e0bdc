import type { ConfigurationReplica, ConnectionState } from '@penstock/contracts';
import type { ApplicationSourceOptions } from './application-source';

/** How often one source begins anew because of pages that are not known any more. */
const MAX_ANEW = 3;

/** When an application is opened again: for newer settings, or to begin anew. One for all readings of a source. */
export class Reopened {
  private left = MAX_ANEW;

  constructor(private readonly replica: Pick<ConfigurationReplica, 'connection'>) {}

  /** @param used the connection with the settings that are used. */
  of({
    id,
    version,
  }: Pick<ConnectionState, 'id' | 'version'>): Pick<
    ApplicationSourceOptions,
    'hasNewerSettings' | 'mayBeginAnew'
  > {
    return {
      hasNewerSettings: () => (this.replica.connection(id)?.version ?? version) > version,
      mayBeginAnew: () => {
        this.left -= 1;
        return this.left >= 0;
      },
    };
  }
}
