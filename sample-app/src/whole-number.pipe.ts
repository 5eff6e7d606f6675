import { BadRequestException, type PipeTransform } from '@nestjs/common';

/** Parses a whole number, and rejects one outside of the bounds. */
export class WholeNumberPipe implements PipeTransform<unknown, number> {
  constructor(
    private readonly name: string,
    private readonly least: number,
    private readonly most: number,
    private readonly otherwise?: number,
  ) {}

  transform(given: unknown): number {
    const value = given ?? this.otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= this.least && value <= this.most) {
      return value;
    }
    throw new BadRequestException(`"${this.name}" is a whole number from ${this.least} to ${this.most}`);
  }
}
