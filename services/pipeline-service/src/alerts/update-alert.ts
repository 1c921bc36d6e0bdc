import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { alertDecider } from '../domain/alert.decide';
import { alertCondition, checkWatched } from './alert-condition';
import { AlertWebhooks } from './alert-webhooks';
import { existingAlert } from './existing-alert';

/** Changes an alert. What it watches already may have been deleted meanwhile. */
@Controller()
export class UpdateAlert {
  constructor(
    private readonly configuration: Configuration,
    private readonly webhooks: AlertWebhooks,
  ) {}

  @Handles('UpdateAlert')
  handle(@Payload() { context, in: input }: RequestFor<'UpdateAlert'>) {
    const { workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const { alert, ...own } = await existingAlert(reading, input.id, context);
      const condition = alertCondition(alert.alertKind, input);
      const { connection, pipeline } = condition;
      if (connection !== alert.connection || pipeline !== alert.pipeline)
        await checkWatched(reading, condition, workspace);
      const webhook =
        input.webhook === undefined
          ? alert.webhook
          : await this.webhooks.check(reading.db, workspace, input.webhook, alert.webhook);
      const { name, enabled = alert.enabled } = input;
      const change = { name, enabled, ...condition, webhook };
      const facts = alertDecider.decide({ type: 'UpdateAlert', change }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
