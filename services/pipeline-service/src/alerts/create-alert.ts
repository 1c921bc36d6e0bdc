import { MAX_ALERTS, type NewAlert, Refusal } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { alertDecider, alertStream } from '../domain/alert.decide';
import { AlertRow } from '../read-model/alert.row';
import { alertCondition, checkWatched } from './alert-condition';
import { AlertWebhooks } from './alert-webhooks';

/** Creates an alert. */
@Controller()
export class CreateAlert {
  constructor(
    private readonly configuration: Configuration,
    private readonly webhooks: AlertWebhooks,
  ) {}

  @Handles('CreateAlert')
  handle(@Payload() { context, in: input }: RequestFor<'CreateAlert'>) {
    const { id, name, enabled = true, alertKind } = input;
    const { workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const condition = alertCondition(alertKind, input);
      await checkWatched(reading, condition, workspace);
      const webhook = await this.webhooks.check(reading.db, workspace, input.webhook);
      const own = await load(reading, alertDecider, alertStream(id));
      const alert: NewAlert = { id, workspace, name, enabled, alertKind, ...condition, webhook };
      const facts = alertDecider.decide({ type: 'CreateAlert', alert }, own.state);
      return {
        streams: [appendTo(own, facts)],
        reply: { id },
        verify: async (db) => {
          await notDeleted(db, workspace);
          await oneMore(db, workspace);
        },
      };
    });
  }
}

/** Exact within the transaction of an append, which no other append can run beside. @throws Refusal AlertsLimitReached */
const oneMore = async (db: EntityManager, workspace: string): Promise<void> => {
  if ((await db.countBy(AlertRow, { workspace })) < MAX_ALERTS) return;
  throw new Refusal('AlertsLimitReached', {
    message: `workspace cannot have more than ${String(MAX_ALERTS)} alerts`,
  });
};
