import { Module } from '@nestjs/common';
import { AccessLogController } from './access-log.controller';
import { ConservationController } from './conservation.controller';
import { DeliveriesController } from './deliveries.controller';
import { RedrivesController } from './redrives.controller';
import { TracesController } from './traces.controller';

/** Deliveries that wait or did not succeed, redrives, traces, what became of all, and who has seen values. */
@Module({
  controllers: [
    DeliveriesController,
    ConservationController,
    RedrivesController,
    AccessLogController,
    TracesController,
  ],
})
export class DeliveriesModule {}
