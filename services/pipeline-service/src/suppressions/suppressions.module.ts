import { Module } from '@nestjs/common';
import { SuppressUser } from './suppress-user';
import { UnsuppressUser } from './unsuppress-user';

@Module({ controllers: [SuppressUser, UnsuppressUser] })
export class SuppressionsModule {}
