import { Module } from '@nestjs/common';
import { AlertWebhooks } from './alert-webhooks';
import { CreateAlert } from './create-alert';
import { DeleteAlert } from './delete-alert';
import { UpdateAlert } from './update-alert';

@Module({ controllers: [CreateAlert, UpdateAlert, DeleteAlert], providers: [AlertWebhooks] })
export class AlertsModule {}
