import type { Commands, Recorded, Request, RequestContext } from '@penstock/contracts';
import type { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import {
  type SuppressionCommand,
  suppressionDecider,
  suppressionStream,
} from '../domain/suppression.decide';

type Nothing = Record<never, never>;

/** What can be done about users whose events are to be left out. */
export class Suppressions {
  constructor(private readonly configuration: Configuration) {}

  suppress({
    context,
    in: { id },
  }: Request<Commands['SuppressUser']['in']>): Promise<Recorded<Nothing>> {
    const user = { id, workspace: context.workspace };
    return this.execute(context, id, { type: 'SuppressUser', user });
  }

  unsuppress({
    context,
    in: { id },
  }: Request<Commands['UnsuppressUser']['in']>): Promise<Recorded<Nothing>> {
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
