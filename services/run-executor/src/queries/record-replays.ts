import { isDatabaseAway, Handles, type RequestFor, unavailable } from '@penstock/platform';
import type { Queries } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RunStore } from '../store/run-store';

/** Records replays of events as routers tell of them, so that they are shown as runs. */
@Controller()
export class RecordReplays {
  constructor(private readonly store: RunStore) {}

  @Handles('RecordReplays')
  async handle(
    @Payload() { in: { replays } }: RequestFor<'RecordReplays'>,
  ): Promise<Queries['RecordReplays']['out']> {
    try {
      await this.store.recordReplays(replays);
    } catch (error) {
      throw isDatabaseAway(error) ? unavailable('the database cannot be reached') : error;
    }
    return {};
  }
}
