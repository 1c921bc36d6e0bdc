import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';

/** Whether the gateway runs, and whether it can work. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
