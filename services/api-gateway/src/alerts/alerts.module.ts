import { Module } from '@nestjs/common';
import { AlertRecords } from './alert-records';
import { AlertsController } from './alerts.controller';

/** Alerts, and what they have sent. */
@Module({ controllers: [AlertsController], providers: [AlertRecords] })
export class AlertsModule {}
