import { FairTurns } from '@penstock/turns';
import { isDatabaseAway, Handles, type RequestFor, unavailable } from '@penstock/platform';
import type { Queries } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RunStore } from '../store/run-store';

/** Database connections of the process that may be used: runs need the others. */
const PLACES = 2;

/** Records a replay of events as routers tell of it, so that it is shown as a run. */
@Controller()
export class RecordReplay {
  private readonly turns = new FairTurns({ places: PLACES });

  constructor(private readonly store: RunStore) {}

  @Handles('RecordReplay')
  async handle(
    @Payload() { in: { replay } }: RequestFor<'RecordReplay'>,
  ): Promise<Queries['RecordReplay']['out']> {
    try {
      await this.turns.take({ share: replay.workspace }, () => this.store.recordReplay(replay));
    } catch (error) {
      throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
    }
    return {};
  }
}
