import { isDatabaseAway, Handles, type RequestFor, unavailable } from '@penstock/platform';
import type { Queries } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RunStore } from '../store/run-store';

/** Records a replay of events as routers tell of it, so that it is shown as a run. */
@Controller()
export class RecordReplay {
  constructor(private readonly store: RunStore) {}

  @Handles('RecordReplay')
  async handle(
    @Payload() { in: { replay } }: RequestFor<'RecordReplay'>,
  ): Promise<Queries['RecordReplay']['out']> {
    try {
      await this.store.recordReplay(replay);
    } catch (error) {
      throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
    }
    return {};
  }
}
