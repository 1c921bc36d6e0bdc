import type { Nothing, Recorded, RequestContext } from '@penstock/contracts';
import { Injectable } from '@nestjs/common';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import type { RequestFor } from '../command-handling/handles';
import {
  type SuppressionCommand,
  suppressionDecider,
  suppressionStream,
} from '../domain/suppression.decide';

/** What can be done about users whose events are to be left out. */
@Injectable()
export class Suppressions {
  constructor(private readonly configuration: Configuration) {}

  suppress({ context, in: { id } }: RequestFor<'SuppressUser'>): Promise<Recorded<Nothing>> {
    const user = { id, workspace: context.workspace };
    return this.execute(context, id, { type: 'SuppressUser', user });
  }

  unsuppress({ context, in: { id } }: RequestFor<'UnsuppressUser'>): Promise<Recorded<Nothing>> {
    return this.execute(context, id, { type: 'UnsuppressUser' });
  }

  private execute(
    context: RequestContext,
    id: string,
    command: SuppressionCommand,
  ): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, suppressionDecider, suppressionStream(id));
      return {
        streams: [appendTo(own, suppressionDecider.decide(command, own.state))],
        reply: {},
        verify: (db) => notDeleted(db, context.workspace),
      };
    });
  }
}
