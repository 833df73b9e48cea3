/**
 * The order of a sorted set: pairs of score and member in a B+-tree whose nodes know how many pairs lie below them.
 *
 * Pairs are ordered by score, and by the bytes of the member within a score. All operations take O(log n); the two
 * that a queue lives on take a constant number of steps, because ids are minted in rising order: adding behind the
 * last pair, and taking the first. A skip list would cost an object a member and a cache miss a step; here 64 members
 * lie side by side.
 *
 *     branch      keys[i] is a lower bound of all pairs below children[i]; keys[0] is never looked at
 *      ├ leaf     members and scores from `from` on; what lies before was taken from the front
 *      └ leaf     leaves are linked to their neighbours
 *
 * A leaf is dropped when it is empty and nodes are never merged before that. The height therefore follows the largest
 * number of leaves so far, which keeps every step O(log n) of the largest size that the set has had.
 */

import type { Bytes } from "../../protocol/bytes.ts";

/** The most pairs of a leaf. */
const LEAF_PAIRS_MAX = 64;
/** Pairs that must have left a leaf's front before their room is given back, so that moving the rest pays. */
const LEAF_GAP_MIN = LEAF_PAIRS_MAX / 4;
/** The most children of a branch. */
const BRANCH_CHILDREN_MAX = 64;

/** A leaf or a branch. They share one shape because every walk meets both. */
class Node {
  parent: Node | undefined = undefined;
  /** Pairs below this node. */
  size = 0;
  /** Leaf: the index of its first pair. Branch: 0. */
  from = 0;
  /** Leaf: the pairs' scores. Branch: lower bounds of the children. */
  scores: number[] = [];
  /** Leaf: the pairs' members. Branch: lower bounds of the children. */
  members: Bytes[] = [];
  /** Branch: its children. Leaf: `undefined`. */
  children: Node[] | undefined = undefined;
  previous: Node | undefined = undefined;
  next: Node | undefined = undefined;
}

/**
 * A place in the tree, valid until the next change. `leaf` is `undefined` behind the last and before the first pair.
 *
 * One object a tree is used again and again: whoever seeks, reads and moves on before anybody else seeks.
 */
export class Cursor {
  leaf: Node | undefined = undefined;
  index = 0;

  get member(): Bytes {
    return (this.leaf as Node).members[this.index] as Bytes;
  }

  get score(): number {
    return (this.leaf as Node).scores[this.index] as number;
  }

  /** Whether there is a pair here. */
  get valid(): boolean {
    return this.leaf !== undefined;
  }

  forward(): void {
    const leaf = this.leaf as Node;
    if (++this.index < leaf.members.length) return;
    this.leaf = leaf.next;
    this.index = this.leaf === undefined ? 0 : this.leaf.from;
  }

  backward(): void {
    const leaf = this.leaf as Node;
    if (--this.index >= leaf.from) return;
    this.leaf = leaf.previous;
    this.index = this.leaf === undefined ? 0 : this.leaf.members.length - 1;
  }
}

export class OrderTree {
  #root = new Node();
  #first = this.#root;
  #last = this.#root;
  /** Moved by every seek. */
  readonly cursor = new Cursor();

  get size(): number {
    return this.#root.size;
  }

  /** The score of the first pair of a tree that is not empty. */
  get firstScore(): number {
    return this.#first.scores[this.#first.from] as number;
  }

  /** Whether (score, member) comes after every pair. */
  endsBefore(score: number, member: Bytes): boolean {
    const last = this.#last;
    const end = last.members.length;
    if (end === last.from) return true;
    return precedes(last.scores[end - 1] as number, last.members[end - 1] as Bytes, score, member);
  }

  /** Whether the pair is in the tree. */
  has(score: number, member: Bytes): boolean {
    const leaf = this.#leafFor(score, member);
    const index = lowerBound(leaf, leaf.from, score, member);
    return index < leaf.members.length && leaf.members[index] === member && leaf.scores[index] === score;
  }

  /** Adds a pair that is not in the tree. */
  add(score: number, member: Bytes): void {
    if (this.endsBefore(score, member)) {
      this.#append(score, member);
      return;
    }
    const leaf = this.#leafFor(score, member);
    const index = lowerBound(leaf, leaf.from, score, member);
    insertPair(leaf, index, score, member);
    grow(leaf, 1);
    if (leaf.members.length > LEAF_PAIRS_MAX) this.#splitLeaf(leaf);
  }

  /** Takes out a pair that is in the tree. */
  remove(score: number, member: Bytes): void {
    const leaf = this.#leafFor(score, member);
    const index = lowerBound(leaf, leaf.from, score, member);
    if (index === leaf.from) {
      this.#dropFirstOf(leaf);
      return;
    }
    removePair(leaf, index);
    grow(leaf, -1);
  }

  /** Takes out the first pair of a tree that is not empty. Read it before, through {@link seekFirst}. */
  removeFirst(): void {
    this.#dropFirstOf(this.#first);
  }

  /** Moves the cursor to the first pair. */
  seekFirst(): Cursor {
    return this.#place(this.#first, this.#first.from);
  }

  /** Moves the cursor to the last pair. */
  seekLast(): Cursor {
    return this.#place(this.#last, this.#last.members.length - 1);
  }

  /** Moves the cursor to the pair of that rank, from 0; behind the last pair when there is none. */
  seekRank(rank: number): Cursor {
    if (rank >= this.size) return this.#place(undefined, 0);
    let node = this.#root;
    let left = rank;
    while (node.children !== undefined) {
      let child = 0;
      while (left >= (node.children[child] as Node).size) left -= (node.children[child++] as Node).size;
      node = node.children[child] as Node;
    }
    return this.#place(node, node.from + left);
  }

  /** Moves the cursor to the first pair that is not before (score, member). The empty member begins a score. */
  seek(score: number, member: Bytes): Cursor {
    const leaf = this.#leafFor(score, member);
    return this.#place(leaf, lowerBound(leaf, leaf.from, score, member));
  }

  /** How many pairs lie before (score, member). The empty member begins a score. */
  rankOf(score: number, member: Bytes): number {
    let node = this.#root;
    let rank = 0;
    while (node.children !== undefined) {
      const child = childFor(node, score, member);
      for (let at = 0; at < child; at++) rank += (node.children[at] as Node).size;
      node = node.children[child] as Node;
    }
    return rank + lowerBound(node, node.from, score, member) - node.from;
  }

  #place(leaf: Node | undefined, index: number): Cursor {
    const cursor = this.cursor;
    cursor.leaf = leaf;
    cursor.index = index;
    if (leaf === undefined) return cursor;
    if (leaf.size === 0) cursor.leaf = undefined;
    else if (index >= leaf.members.length) {
      cursor.leaf = leaf.next;
      cursor.index = leaf.next === undefined ? 0 : leaf.next.from;
    }
    return cursor;
  }

  #leafFor(score: number, member: Bytes): Node {
    let node = this.#root;
    while (node.children !== undefined) node = node.children[childFor(node, score, member)] as Node;
    return node;
  }

  // Rising members fill each leaf to the brim: halving it, as elsewhere, would leave all leaves half empty.
  #append(score: number, member: Bytes): void {
    let leaf = this.#last;
    if (leaf.members.length >= LEAF_PAIRS_MAX) {
      if (leaf.from >= LEAF_GAP_MIN) compact(leaf);
      else {
        leaf = new Node();
        this.#linkAfter(this.#last, leaf);
        leaf.scores.push(score);
        leaf.members.push(member);
        this.#adopt(leaf.previous as Node, leaf);
        grow(leaf, 1);
        return;
      }
    }
    leaf.scores.push(score);
    leaf.members.push(member);
    grow(leaf, 1);
  }

  #dropFirstOf(leaf: Node): void {
    leaf.members[leaf.from] = "";
    leaf.from++;
    grow(leaf, -1);
    if (leaf.size > 0) return;
    leaf.scores = [];
    leaf.members = [];
    leaf.from = 0;
    if (leaf !== this.#root) this.#dropLeaf(leaf);
  }

  #splitLeaf(leaf: Node): void {
    if (leaf.from >= LEAF_GAP_MIN) {
      compact(leaf);
      return;
    }
    const half = (leaf.from + leaf.members.length) >> 1;
    const right = new Node();
    right.scores = leaf.scores.splice(half);
    right.members = leaf.members.splice(half);
    right.size = right.members.length;
    leaf.size -= right.size;
    this.#linkAfter(leaf, right);
    this.#adopt(leaf, right);
  }

  #linkAfter(leaf: Node, right: Node): void {
    right.previous = leaf;
    right.next = leaf.next;
    if (leaf.next === undefined) this.#last = right;
    else leaf.next.previous = right;
    leaf.next = right;
  }

  /** Makes `right` the next sibling of `left`. The sizes of all ancestors stay as they are. */
  #adopt(left: Node, right: Node): void {
    let parent = left.parent;
    if (parent === undefined) {
      parent = new Node();
      parent.children = [left];
      parent.scores = [0];
      parent.members = [""];
      parent.size = left.size + right.size;
      left.parent = parent;
      this.#root = parent;
    }
    const children = parent.children as Node[];
    const bound = boundOf(right);
    const at = (left === children[children.length - 1] ? children.length - 1 : children.indexOf(left)) + 1;
    children.splice(at, 0, right);
    parent.scores.splice(at, 0, bound.scores[bound.from] as number);
    parent.members.splice(at, 0, bound.members[bound.from] as Bytes);
    right.parent = parent;
    if (children.length > BRANCH_CHILDREN_MAX) this.#splitBranch(parent, at === children.length - 1);
  }

  #splitBranch(branch: Node, rising: boolean): void {
    const children = branch.children as Node[];
    const half = rising ? children.length - 1 : children.length >> 1;
    const right = new Node();
    right.children = children.splice(half);
    right.scores = branch.scores.splice(half);
    right.members = branch.members.splice(half);
    for (const child of right.children) {
      child.parent = right;
      right.size += child.size;
    }
    branch.size -= right.size;
    this.#adopt(branch, right);
  }

  #dropLeaf(leaf: Node): void {
    if (leaf.previous === undefined) this.#first = leaf.next as Node;
    else leaf.previous.next = leaf.next;
    if (leaf.next === undefined) this.#last = leaf.previous as Node;
    else leaf.next.previous = leaf.previous;
    let node = leaf;
    let parent = node.parent as Node;
    while ((parent.children as Node[]).length === 1 && parent !== this.#root) {
      node = parent;
      parent = node.parent as Node;
    }
    const at = (parent.children as Node[]).indexOf(node);
    (parent.children as Node[]).splice(at, 1);
    parent.scores.splice(at, 1);
    parent.members.splice(at, 1);
    while (this.#root.children !== undefined && this.#root.children.length === 1) {
      this.#root = this.#root.children[0] as Node;
      this.#root.parent = undefined;
    }
  }
}

/** Whether the first pair comes before the second. */
function precedes(score: number, member: Bytes, otherScore: number, otherMember: Bytes): boolean {
  return score < otherScore || (score === otherScore && member < otherMember);
}

/** The index of a leaf's first pair that is not before (score, member). */
function lowerBound(leaf: Node, from: number, score: number, member: Bytes): number {
  let low = from;
  let high = leaf.members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (precedes(leaf.scores[middle] as number, leaf.members[middle] as Bytes, score, member)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the child below which (score, member) belongs: the last one whose bound is not after it. */
function childFor(branch: Node, score: number, member: Bytes): number {
  let low = 1;
  let high = branch.members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (precedes(score, member, branch.scores[middle] as number, branch.members[middle] as Bytes)) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** The leaf that holds the first pair below a node. */
function boundOf(node: Node): Node {
  let leaf = node;
  while (leaf.children !== undefined) leaf = leaf.children[0] as Node;
  return leaf;
}

function grow(leaf: Node, by: number): void {
  let node: Node | undefined = leaf;
  while (node !== undefined) {
    node.size += by;
    node = node.parent;
  }
}

// `copyWithin` and `splice` cost more than these loops at 64 pairs.
function insertPair(leaf: Node, index: number, score: number, member: Bytes): void {
  const { members, scores } = leaf;
  members.push(member);
  scores.push(score);
  for (let at = members.length - 1; at > index; at--) {
    members[at] = members[at - 1] as Bytes;
    scores[at] = scores[at - 1] as number;
  }
  members[index] = member;
  scores[index] = score;
}

function removePair(leaf: Node, index: number): void {
  const { members, scores } = leaf;
  const last = members.length - 1;
  for (let at = index; at < last; at++) {
    members[at] = members[at + 1] as Bytes;
    scores[at] = scores[at + 1] as number;
  }
  members.pop();
  scores.pop();
}

/** Gives back the room of the pairs that were taken from the front. */
function compact(leaf: Node): void {
  leaf.members.splice(0, leaf.from);
  leaf.scores.splice(0, leaf.from);
  leaf.from = 0;
}
