answer = input("go on? ")
print("answer", answer)
input("more? ")
