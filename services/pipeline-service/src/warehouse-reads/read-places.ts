import type { OrganizationId, Refusal, WorkspaceId } from '@penstock/contracts';
import { unavailable } from '@penstock/platform';
import { FairTurns, TurnRefused, TurnsByName } from '@penstock/turns';

/** Reads of one warehouse at a time. */
export const PLACES_OF_WORKSPACE = 2;
/** Reads of one warehouse that wait. */
const WAITING_OF_WORKSPACE = 4;
/** The longest wait for a place. */
const WAIT_MS = 2_000;

const busy = (): Refusal => unavailable('too many reads of data warehouses are under way');

/** Who wants to read. */
export interface PlaceWanted {
  readonly workspace: WorkspaceId;
  readonly organization: OrganizationId;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * Places for reads of warehouses. A workspace has so many reads under way and waiting, so that a warehouse that is slow takes
 * no places from others; organizations share the places of the process.
 */
export class ReadPlaces {
  private readonly ofWorkspace = new TurnsByName({
    places: PLACES_OF_WORKSPACE,
    maxWaitingOfShare: WAITING_OF_WORKSPACE,
  });
  private readonly all: FairTurns;

  /** @param places reads of all warehouses at a time. */
  constructor(places: number) {
    this.all = new FairTurns({ places });
  }

  /**
   * Does work in a place.
   *
   * @throws Refusal ServiceUnavailable when no place was free within two seconds; what the work throws
   */
  async take<T>(
    { workspace, organization, signal }: PlaceWanted,
    work: () => Promise<T>,
  ): Promise<T> {
    const waiting = new AbortController();
    const timer = setTimeout(() => {
      waiting.abort(busy());
    }, WAIT_MS);
    const given = AbortSignal.any([signal, waiting.signal]);
    const ofAll = { share: organization, signal: given };
    const begin = (): Promise<T> => {
      clearTimeout(timer);
      return work();
    };
    try {
      return await this.ofWorkspace.take(workspace, { share: workspace, signal: given }, () =>
        this.all.take(ofAll, begin),
      );
    } catch (error) {
      throw error instanceof TurnRefused ? busy() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
