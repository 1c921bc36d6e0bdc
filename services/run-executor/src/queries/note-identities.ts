import { FairTurns } from '@penstock/turns';
import { Handles, isDatabaseAway, type RequestFor, unavailable } from '@penstock/platform';
import type { Queries, WorkspaceId } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';

/** Database connections of the process that may be used: runs need the others. */
const PLACES = 1;
/** All share it: a note is of many workspaces. */
const SHARE = 'notes';

/** Where identities in events were written. */
export abstract class NotedIdentities {
  abstract note(workspaces: readonly WorkspaceId[]): Promise<void>;
}

/** Notes where routers have written identities, so that it is looked there whether they are to be resolved. */
@Controller()
export class NoteIdentities {
  private readonly turns = new FairTurns({ places: PLACES });

  constructor(private readonly noted: NotedIdentities) {}

  @Handles('NoteIdentities')
  async handle(
    @Payload() { in: { workspaces } }: RequestFor<'NoteIdentities'>,
  ): Promise<Queries['NoteIdentities']['out']> {
    try {
      await this.turns.take({ share: SHARE }, () => this.noted.note(workspaces));
    } catch (error) {
      throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
    }
    return {};
  }
}
