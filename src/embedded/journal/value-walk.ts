/**
 * Large values in slices: each is written as it was at one moment, while it changes between the slices.
 *
 * A list or a stream is copied at the moment, which takes references only: some milliseconds for a million. What is
 * pending in a stream's groups changes in place, so its copy takes some tens of them. Of all others nothing is copied.
 * The walk goes through the elements that are there, and the undo log tells it of each one that is about to change
 * (`keep`). Told for the first time, it writes the element as it still is and never looks at it again; so an element is
 * written when the walk comes by or when it first changes, whichever is earlier, and both times it is what it was at
 * the moment. What was not there at the moment is told of before it comes, hence passed over.
 *
 * Taking back needs no word: it only gives elements that were told of another value that the walk does not look at.
 *
 * In a hash or a set an element may be written twice, the same both times, because a walk does not know its place.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { HashValue } from "../store/hash-value.ts";
import { ListValue } from "../store/list-value.ts";
import { SetValue } from "../store/set-value.ts";
import { SortedSetValue } from "../store/sorted-set-value.ts";
import { StreamValue } from "../store/stream-value.ts";
import type { ByteWriter } from "./byte-writer.ts";
import {
  type FieldElement,
  type GroupImage,
  groupImage,
  type ImageSource,
  type MemberElement,
  PART_ELEMENTS_MAX,
  writeEntryPart,
  writeFieldPart,
  writeGroupPart,
  writeItemPart,
  writeMemberPart,
} from "./value-image.ts";

/** The elements of one slice, and the most that a value has which is written in one piece. */
export const SLICE_ELEMENTS = 4096;

/** Where a walk writes, and what is called after each part. */
export interface WalkTarget {
  readonly writer: ByteWriter;
  readonly onPart: () => void;
}

export interface ValueWalk {
  /** An element is about to change for which the value holds `old`; `undefined` when it is absent. */
  keep(element: Bytes, old: Bytes | number | undefined): void;
  /** Writes the next slice; false when it was the last. */
  next(): boolean;
}

/** A walk through a value as it is now; `undefined` for a value that is small enough for one piece. */
export function walkOf(source: ImageSource, target: WalkTarget): ValueWalk | undefined {
  const { value } = source;
  const sliced = { ...source, isSliced: true };
  if (value instanceof SortedSetValue) {
    return value.size > SLICE_ELEMENTS ? new SortedSetWalk(value, sliced, target) : undefined;
  }
  if (value instanceof HashValue) return value.size > SLICE_ELEMENTS ? new HashWalk(value, sliced, target) : undefined;
  if (value instanceof SetValue) return value.size > SLICE_ELEMENTS ? new SetWalk(value, sliced, target) : undefined;
  if (value instanceof ListValue) {
    if (value.length <= SLICE_ELEMENTS) return undefined;
    return new CopyWalk(value.slice(0, value.length - 1), target, (part) => writeItemPart(target.writer, sliced, part));
  }
  return value instanceof StreamValue && streamSize(value) > SLICE_ELEMENTS
    ? new StreamWalk(value, sliced, target)
    : undefined;
}

/** The entries of a stream, and those that are pending in its groups. */
function streamSize(stream: StreamValue): number {
  let size = stream.entries.length;
  for (const { pending } of stream.groups.values()) size += pending.length;
  return size;
}

/** Gathers elements and writes them in parts. */
class PartBuffer<Element> {
  readonly #target: WalkTarget;
  readonly #write: (part: readonly Element[]) => void;
  #part: Element[] = [];

  constructor(target: WalkTarget, write: (part: readonly Element[]) => void) {
    this.#target = target;
    this.#write = write;
  }

  add(element: Element): void {
    this.#part.push(element);
    if (this.#part.length >= PART_ELEMENTS_MAX) this.flush();
  }

  flush(): void {
    if (this.#part.length === 0) return;
    this.#write(this.#part);
    this.#part = [];
    this.#target.onPart();
  }
}

/** A walk through elements that nobody else holds. */
class CopyWalk<Element> implements ValueWalk {
  readonly #elements: readonly Element[];
  readonly #buffer: PartBuffer<Element>;
  #at = 0;

  constructor(elements: readonly Element[], target: WalkTarget, write: (part: readonly Element[]) => void) {
    this.#elements = elements;
    this.#buffer = new PartBuffer(target, write);
  }

  keep(): void {
    // A copy does not change.
  }

  next(): boolean {
    const end = Math.min(this.#at + SLICE_ELEMENTS, this.#elements.length);
    while (this.#at < end) this.#buffer.add(this.#elements[this.#at++] as Element);
    this.#buffer.flush();
    return end < this.#elements.length;
  }
}

/**
 * A walk through copies of a stream's entries and of what is pending in its groups. The groups themselves come first,
 * with as many pending entries as one part may hold: consumers must be there before what is pending with them.
 */
class StreamWalk implements ValueWalk {
  readonly #walks: ValueWalk[];

  constructor(stream: StreamValue, source: ImageSource, target: WalkTarget) {
    const { writer } = target;
    const { mark } = stream;
    const large: GroupImage[] = [];
    let room = PART_ELEMENTS_MAX;
    const heads = [...stream.groups.values()].map((group) => {
      const image = groupImage(group);
      if (image.pending.length <= room) {
        room -= image.pending.length;
        return image;
      }
      large.push({ ...image, consumers: [] });
      return { ...image, pending: [] };
    });
    writeGroupPart(writer, source, { mark, groups: heads });
    target.onPart();
    const entries = stream.entries.slice(0, stream.entries.length);
    this.#walks = [
      new CopyWalk(entries, target, (part) => writeEntryPart(writer, source, part)),
      ...large.map((group) => {
        return new CopyWalk(group.pending, target, (pending) => {
          writeGroupPart(writer, source, { mark, groups: [{ ...group, pending }] });
        });
      }),
    ];
  }

  keep(): void {
    // A copy does not change.
  }

  next(): boolean {
    if (this.#walks[0]?.next() === false) this.#walks.shift();
    return this.#walks.length > 0;
  }
}

/**
 * A walk in the order in which elements came, which is that of a `Map` and a `Set`. Elements of the moment lie before
 * all that came later, so it ends after as many as there were, however many are added meanwhile.
 */
abstract class ArrivalWalk<Place, Element> implements ValueWalk {
  /** What has been told of: at most as many as acts touch while the walk lasts. */
  readonly #touched: Set<Bytes> = new Set();
  readonly #places: Iterator<Place>;
  readonly #buffer: PartBuffer<Element>;
  #left: number;

  constructor(places: Iterator<Place>, size: number, buffer: PartBuffer<Element>) {
    this.#places = places;
    this.#left = size;
    this.#buffer = buffer;
  }

  keep(name: Bytes, old: Bytes | number | undefined): void {
    if (this.#touched.has(name)) return;
    this.#touched.add(name);
    if (old !== undefined) this.#buffer.add(this.elementOf(name, old as Bytes));
  }

  next(): boolean {
    for (let looks = Math.min(SLICE_ELEMENTS, this.#left); looks > 0; looks--) {
      this.#left--;
      const step = this.#places.next();
      if (step.done === true) this.#left = looks = 0;
      else this.#pass(step.value);
    }
    this.#buffer.flush();
    return this.#left > 0;
  }

  #pass(place: Place): void {
    const [name, text] = this.pairOf(place);
    if (!this.#touched.has(name)) this.#buffer.add(this.elementOf(name, text));
  }

  protected abstract pairOf(place: Place): readonly [Bytes, Bytes];
  protected abstract elementOf(name: Bytes, text: Bytes): Element;
}

class HashWalk extends ArrivalWalk<[Bytes, Bytes], FieldElement> {
  readonly #hash: HashValue;

  constructor(hash: HashValue, source: ImageSource, target: WalkTarget) {
    const write = (part: readonly FieldElement[]) => writeFieldPart(target.writer, source, part);
    super(hash.pairs(), hash.size, new PartBuffer(target, write));
    this.#hash = hash;
  }

  protected pairOf(place: [Bytes, Bytes]): [Bytes, Bytes] {
    return place;
  }

  protected elementOf(field: Bytes, text: Bytes): FieldElement {
    return { field, text, expiresAt: this.#hash.expiryOf(field) };
  }
}

class SetWalk extends ArrivalWalk<Bytes, Bytes> {
  constructor(set: SetValue, source: ImageSource, target: WalkTarget) {
    const write = (part: readonly Bytes[]) => writeItemPart(target.writer, source, part);
    super(set.values(), set.size, new PartBuffer(target, write));
  }

  protected pairOf(member: Bytes): readonly [Bytes, Bytes] {
    return [member, member];
  }

  protected elementOf(member: Bytes): Bytes {
    return member;
  }
}

/**
 * A walk in the order of the set. An element of the moment that has not changed lies where it lay, so it has been
 * written exactly if the walk has passed its score and name; the walk ends when all of the moment are written.
 *
 * What changed may lie ahead in any number. A slice therefore passes over as many more as changes were told of since
 * the last one: they cannot be put before the walk faster than it gets ahead.
 */
class SortedSetWalk implements ValueWalk {
  readonly #set: SortedSetValue;
  readonly #buffer: PartBuffer<MemberElement>;
  /** What has been told of: at most as many as acts touch while the walk lasts. */
  readonly #touched: Set<Bytes> = new Set();
  /** Members of the moment that are not written. */
  #left: number;
  /** The last place that was looked at. */
  #last: MemberElement | undefined;
  #changes = 0;

  constructor(set: SortedSetValue, source: ImageSource, target: WalkTarget) {
    this.#set = set;
    this.#left = set.size;
    this.#buffer = new PartBuffer(target, (part) => writeMemberPart(target.writer, source, part));
  }

  keep(member: Bytes, old: Bytes | number | undefined): void {
    this.#changes++;
    if (this.#touched.has(member)) return;
    this.#touched.add(member);
    if (old !== undefined && !this.#hasPassed(member, old as number)) this.#write(member, old as number);
  }

  next(): boolean {
    const last = this.#last;
    const cursor = last === undefined ? this.#set.first() : this.#set.after(last.score, last.member);
    let { member, score } = last ?? { member: "", score: 0 };
    const leftAtEnd = Math.max(0, this.#left - SLICE_ELEMENTS);
    for (let looks = SLICE_ELEMENTS + this.#changes; looks > 0 && this.#left > leftAtEnd; looks--) {
      // Never; but a snapshot that is short of members must not replace the journals.
      if (!cursor.valid) throw new Error(`a sorted set ended ${this.#left} members too early`);
      ({ member, score } = cursor);
      if (!this.#touched.has(member)) this.#write(member, score);
      cursor.forward();
    }
    this.#last = { member, score };
    this.#changes = 0;
    this.#buffer.flush();
    return this.#left > 0;
  }

  #hasPassed(member: Bytes, score: number): boolean {
    const last = this.#last;
    if (last === undefined || score > last.score) return false;
    return score < last.score || member <= last.member;
  }

  #write(member: Bytes, score: number): void {
    this.#left--;
    this.#buffer.add({ member, score });
  }
}
