import { Module } from '@nestjs/common';
import { Retries } from './retries';

@Module({ controllers: [Retries] })
export class RetriesModule {}
